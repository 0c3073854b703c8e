// take.mjs - stores pages of a server as PNG files of one size.
//
// take.mjs BASE FOLDER NAME=PATH...
// README.md shows the files, so each has less than 150 kB.

import fs from 'node:fs';
import {createRequire} from 'node:module';
import path from 'node:path';
import zlib from 'node:zlib';

const {chromium} = createRequire(new URL('../web/package.json', import.meta.url))('playwright-core');
const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'];
const VIEWPORT = {width: 1440, height: 1080};
const MAX_BYTES = 150000;

// A page is complete when its first visible table has rows and no request is in progress.
async function take(browser, url) {
	const page = await browser.newPage({viewport: VIEWPORT, colorScheme: 'light', locale: 'en-US', timezoneId: 'UTC'});
	const faults = [];
	page.on('pageerror', (error) => faults.push(error.stack));
	await page.goto(url, {waitUntil: 'networkidle'});
	await page.locator('main table:visible tbody tr').first().waitFor();
	await page.evaluate(() => document.fonts.ready);
	const png = await page.screenshot();
	await page.close();
	if (faults.length) throw new Error(`${url}: ${faults.join('\n')}`);
	return png;
}

// Returns the colors of a picture, 0xrrggbb each, row by row. A blank page decodes the PNG.
async function decode(browser, png) {
	const page = await browser.newPage();
	const base64 = await page.evaluate(async (source) => {
		const image = new Image();
		image.src = `data:image/png;base64,${source}`;
		await image.decode();
		const canvas = new OffscreenCanvas(image.width, image.height);
		const context = canvas.getContext('2d');
		context.drawImage(image, 0, 0);
		const {data} = context.getImageData(0, 0, image.width, image.height);
		let bytes = '';
		for (let i = 0; i < data.length; i++) if (i % 4 < 3) bytes += String.fromCharCode(data[i]);
		return btoa(bytes);
	}, png.toString('base64'));
	await page.close();
	const bytes = Buffer.from(base64, 'base64');
	return Array.from({length: bytes.length / 3}, (_, i) => bytes.readUIntBE(3 * i, 3));
}

// Chooses at most 256 colors, and maps each color of the picture to the nearest of them. The
// next chosen color is the one whose pixels are furthest from the colors chosen so far.
// Therefore a small label keeps its color next to large areas.
function palette(colors) {
	const seen = new Map();
	for (const color of colors) {
		const entry = seen.get(color) ?? {color, pixels: 0, distance: Infinity, index: 0};
		entry.pixels++;
		seen.set(color, entry);
	}
	const entries = [...seen.values()].sort((a, b) => b.pixels - a.pixels || a.color - b.color);
	const part = (color, shift) => (color >> shift) & 255;
	const distance = (a, b) => [0, 8, 16].reduce((sum, shift) => sum + (part(a, shift) - part(b, shift)) ** 2, 0);
	const chosen = [];
	for (let [next] = entries; next.distance > 0 && chosen.length < 256; ) {
		for (const entry of entries) {
			const d = distance(entry.color, next.color);
			if (d < entry.distance) Object.assign(entry, {distance: d, index: chosen.length});
		}
		chosen.push(next.color);
		next = entries.reduce((worst, e) => (e.pixels * e.distance > worst.pixels * worst.distance ? e : worst));
	}
	return {chosen, index: (color) => seen.get(color).index};
}

function crc32(bytes) {
	let crc = ~0;
	for (const byte of bytes) {
		crc ^= byte;
		for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
	}
	return ~crc >>> 0;
}

function chunk(type, data) {
	const typed = Buffer.concat([Buffer.from(type, 'latin1'), data]);
	const frame = Buffer.alloc(typed.length + 8);
	frame.writeUInt32BE(data.length, 0);
	typed.copy(frame, 4);
	frame.writeUInt32BE(crc32(typed), typed.length + 4);
	return frame;
}

// Returns a PNG with one byte per pixel: half the size of the browser's PNG.
function encode({width, height}, colors) {
	const {chosen, index} = palette(colors);
	const head = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 3, 0, 0, 0]); /* depth 8, a palette */
	head.writeUInt32BE(width, 0);
	head.writeUInt32BE(height, 4);
	const rows = Buffer.alloc(height * (width + 1)); /* each row begins with its filter: none */
	colors.forEach((color, i) => {
		rows[i + Math.floor(i / width) + 1] = index(color);
	});
	return Buffer.concat([
		Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]),
		chunk('IHDR', head),
		chunk('PLTE', Buffer.from(chosen.flatMap((color) => [color >> 16, (color >> 8) & 255, color & 255]))),
		chunk('IDAT', zlib.deflateSync(rows, {level: 9, memLevel: 9})),
		chunk('IEND', Buffer.alloc(0)),
	]);
}

const [base, folder, ...pages] = process.argv.slice(2);
const browser = await chromium.launch({executablePath: process.env.KERNSIFT_CHROMIUM, args: FLAGS});
try {
	for (const given of pages) {
		const at = given.indexOf('=');
		const file = path.join(folder, `${given.slice(0, at)}.png`);
		const png = encode(VIEWPORT, await decode(browser, await take(browser, base + given.slice(at + 1))));
		if (png.length >= MAX_BYTES) throw new Error(`${file}: ${png.length} bytes, the limit is ${MAX_BYTES}`);
		fs.writeFileSync(file, png);
		console.log(`${file}: ${png.length} bytes`);
	}
} finally {
	await browser.close();
}
