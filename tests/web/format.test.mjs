// format.test.mjs - tests the texts that format.js returns.

import assert from 'node:assert/strict';
import test from 'node:test';
import * as f from '../../web/lib/format.js';

// [case, function, arguments, text]
const TEXTS = [
	['nothing counted', f.count, [0], '0'],
	['three digits need no comma', f.count, [999], '999'],
	['four digits do', f.count, [1000], '1,000'],
	['the largest whole number', f.count, [9007199254740991], '9,007,199,254,740,991'],
	['negative', f.count, [-1234], '−1,234'],
	['negative, but rounded to nothing', f.count, [-0.04, 1], '0.0'],
	['digits behind the point', f.count, [1234.5, 1], '1,234.5'],
	['not known is not zero', f.count, [null], '–'],
	['absent is not zero', f.count, [undefined], '–'],

	['zero ns', f.duration, [0], '0 ns'],
	['a tenth of a ns', f.duration, [999.9], '999.9 ns'],
	['one µs', f.duration, [1000], '1.000 µs'],
	['one ms', f.duration, [1000000], '1.000 ms'],
	['one s', f.duration, [1000000000], '1.000 s'],
	['an hour stays in s', f.duration, [3600000000000], '3,600.000 s'],
	['unknown duration', f.duration, [null], '–'],

	['one unit for a column: far smaller', f.inUnit, [900, 'ms'], '0.001'],
	['one unit for a column: exact in µs', f.inUnit, [1234567, 'µs'], '1,234.567'],
	['ns has no point when whole', f.inUnit, [1234567, 'ns'], '1,234,567'],
	['ns keeps a median\'s half', f.inUnit, [12.5, 'ns'], '12.5'],
	['zero in ms', f.inUnit, [0, 'ms'], '0.000'],
	['exact to the ns', f.exact, [1234567], '1,234,567 ns'],
	['exact but unknown', f.exact, [null], 'unknown'],

	['a tenth of a ns is half of a thousandth: up', f.inUnit, [26457.5, 'µs'], '26.458'],
	['half up, where a double is less: 0.9275', f.inUnit, [927.5, 'µs'], '0.928'],
	['half up, where a double is even: 0.0625', f.inUnit, [62.5, 'µs'], '0.063'],
	['less than half', f.inUnit, [112.4, 'µs'], '0.112'],
	['just below one µs', f.duration, [999], '999 ns'],

	['a column leaves room below its largest', f.columnUnit, [9999999], 'µs'],
	['and then takes the larger unit', f.columnUnit, [10000000], 'ms'],
	['ten seconds', f.columnUnit, [10000000000], 's'],
	['no time at all', f.columnUnit, [0], 'µs'],

	['fewer digits', f.inUnit, [1234567, 'µs', 1], '1,234.6'],
	['a difference up', f.signed, [1500, 'µs'], '+1.500'],
	['a difference down, with the minus sign', f.signed, [-1500, 'µs', 1], '−1.5'],
	['a difference too small to be seen has no sign', f.signed, [-4, 'ms', 2], '0.00'],
	['a difference that is none', f.signed, [0, 'µs'], '0.000'],
	['an unknown difference', f.signed, [null, 'µs'], '–'],
	['a difference on its own', f.signedDuration, [-1840000], '−1.840 ms'],
	['none on its own', f.signedDuration, [0], '0 ns'],
	['an unknown one on its own', f.signedDuration, [null], '–'],

	['a small probability is not nothing', f.probability, [0.0004997], '< 0.001'],
	['a probability of zero is not nothing', f.probability, [0], '< 0.001'],
	['a probability', f.probability, [0.0316], '0.032'],
	['an unknown probability', f.probability, [null], '–'],

	['a rise', f.signedPercent, [4.25], '+4.3 %'],
	['a fall', f.signedPercent, [-1.6], '−1.6 %'],
	['neither', f.signedPercent, [-0.04], '±0.0 %'],
	['an unknown difference', f.signedPercent, [null], '–'],
	['a fraction has commas too', f.number, [15557.8], '15,557.8'],
	['a small fraction', f.number, [0.00012], '0.00012'],
	['a negative one', f.number, [-2.5], '−2.5'],
	['minus before numbers with a unit', f.sentence, ['gemm -26.9 ms per iteration (-39.1 %, 95 % interval -84.1 % to +1.0 %)'],
		'gemm −26.9 ms per iteration (−39.1 %, 95 % interval −84.1 % to +1.0 %)'],
	['µs', f.sentence, ['takes 1.1 us more, 2 used'], 'takes 1.1 µs more, 2 used'],
	['not in names', f.sentence, ['f<2, -2, true>(int -3) of run -4 and a-1 s'], 'f<2, -2, true>(int -3) of run -4 and a-1 s'],
	['slower', f.changeOf, [1.0748], '+7.5 %'],
	['faster', f.changeOf, [0.8], '−20.0 %'],
	['nearly equal', f.changeOf, [1.0001], '±0.0 %'],
	['ten times', f.changeOf, [12.34], '× 12.3'],
	['from nothing', f.changeOf, [null], '–'],

	['a counter', f.number, [118687.5], '118,688'],
	['a whole counter', f.number, [1980], '1,980'],
	['a counter with a point', f.number, [1410.5], '1,410.5'],

	['launches an iteration, whole', f.mean, [1234], '1,234'],
	['launches of one iteration in a hundred', f.mean, [0.0118], '0.0118'],
	['launches of most iterations', f.mean, [84.5], '84.5'],
	['very many launches', f.mean, [1234.56], '1,235'],
	['launches unknown', f.mean, [null], '–'],

	['no bytes', f.bytes, [0], '0 bytes'],
	['one byte', f.bytes, [1], '1 byte'],
	['just below a KiB', f.bytes, [1023], '1,023 bytes'],
	['a KiB', f.bytes, [1024], '1.00 KiB'],
	['80 GiB', f.bytes, [85899345920], '80.0 GiB'],
	['4096 TiB stay TiB', f.bytes, [4503599627370496], '4,096.0 TiB'],
	['unknown size', f.bytes, [null], '–'],

	['a share', f.percent, [43.25], '43.3'],
	['a whole share', f.percent, [100], '100.0'],

	['nearly sent is not sent', f.progress, [999, 1000], 99],
	['sent', f.progress, [1000, 1000], 100],
	['more than announced', f.progress, [1001, 1000], 100],
	['total unknown', f.progress, [5, null], null],
	['an empty file has no share', f.progress, [0, 0], null],

	['a moment', f.moment, ['2026-08-22T10:11:12.123Z'], '2026-08-22 10:11 UTC'],
	['no moment', f.moment, [null], '–'],

	['a grid', f.dims, [[65536, 1, 4]], '65536 × 1 × 4'],
	['no grid', f.dims, [null], '–'],
	['rank zero is a rank', f.rank, [0, 8], '0 of 8'],
	['rank of unknown world', f.rank, [3, null], '3'],
	['no rank', f.rank, [null, 8], null],
	['one run', f.plural, [1, 'run'], '1 run'],
	['no runs', f.plural, [0, 'run'], '0 runs'],
];

for (const [odd, call, args, text] of TEXTS)
	test(`${call.name}: ${odd}`, () => assert.equal(call(...args), text));

// seconds before now, and the text
const AGES = [
	[-3, 'just now'], [0, 'just now'], [4, 'just now'], [5, '5 s ago'], [59, '59 s ago'],
	[60, '1 min ago'], [3599, '59 min ago'], [3600, '1 h ago'], [86399, '23 h ago'],
	[86400, '1 day ago'], [172800, '2 days ago'], [86400 * 1500, '1,500 days ago'],
];
for (const [seconds, text] of AGES)
	test(`age: ${seconds} s`, () => {
		const iso = '2026-08-22T10:11:12.000Z';
		assert.equal(f.age(iso, Date.parse(iso) + seconds * 1000), text);
	});

const LABELS = [
	['', {}],
	['branch=main', {branch: 'main'}],
	[' branch = main , gpu=h100,', {branch: 'main', gpu: 'h100'}],
	['a=1\nb=2', {a: '1', b: '2'}],
	['expr=x=y', {expr: 'x=y'}],
	['empty=', {empty: ''}],
];
for (const [typed, read] of LABELS)
	test(`labels: ${JSON.stringify(typed)}`, () => assert.deepEqual(f.labels(typed), read));

for (const wrong of ['main', '=main'])
	test(`labels: ${wrong} is refused`, () => assert.throws(() => f.labels(`a=1,${wrong}`),
		{message: `label '${wrong}' is not of the form key=value`}));
