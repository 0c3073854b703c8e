// schema.mjs - checks a document against a schema of the server.
//
// It supports what the schemas use: types, enumerations, properties, items, oneOf and
// references. The schemas are those of the OpenAPI document, which the program
// openapi_document in KERNSIFT_BIN prints.

import {execFileSync} from 'node:child_process';

const SCHEMAS = JSON.parse(execFileSync(`${process.env.KERNSIFT_BIN}/openapi_document`, {encoding: 'utf8', maxBuffer: 1 << 24})).components.schemas;
const schemaOf = (name) => SCHEMAS[name];

function typeOf(value) {
	if (value === null)
		return ['null'];
	if (Array.isArray(value))
		return ['array'];
	return Number.isInteger(value) ? ['integer', 'number'] : [typeof value];
}

const within = (value, {minimum = -Infinity, maximum = Infinity}) => typeof value !== 'number' || (value >= minimum && value <= maximum);

function properties(value, {properties: known = {}, required = [], additionalProperties: others = true}, at) {
	return [...required.filter((key) => !(key in value)).map((key) => `${at} lacks ${key}`),
		...Object.entries(value).flatMap(([key, part]) => {
			const schema = known[key] ?? others;
			return schema === false ? [`${at} has ${key}`] : schema === true ? [] : broken(part, schema, `${at}.${key}`);
		})];
}

// Returns all violations, one line each.
function broken(value, schema, at) {
	if (schema.$ref)
		return broken(value, schemaOf(schema.$ref.split('/').at(-1)), at);
	if (schema.oneOf) {
		const ways = schema.oneOf.map((one) => broken(value, one, at));
		return ways.some((list) => !list.length) ? [] : ways.at(-1);
	}
	const types = typeOf(value);
	if ((schema.type && ![schema.type].flat().some((type) => types.includes(type))) || (schema.enum && !schema.enum.includes(value)) || !within(value, schema))
		return [`${at} is ${JSON.stringify(value)}`];
	if (types[0] === 'array')
		return value.flatMap((part, i) => broken(part, schema.items ?? {}, `${at}[${i}]`));
	return types[0] === 'object' ? properties(value, schema, at) : [];
}

// Converts the document to JSON and back first, as a transfer would.
export const faults = (value, name) => broken(JSON.parse(JSON.stringify(value)), schemaOf(name), name);
