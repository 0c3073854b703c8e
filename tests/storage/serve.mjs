// serve.mjs - serves object storage on loopback until it is killed: serve.mjs FOLDER PORT.
//
// Objects are files of the folder; the bucket is `kernsift`, key and secret are `S3RVER`.

import S3rver from 's3rver';

const [directory, port] = process.argv.slice(2);
await new S3rver({
	address: '127.0.0.1',
	port: Number(port),
	directory,
	silent: true,
	configureBuckets: [{name: 'kernsift'}],
}).run();
console.log('listening');
