// The baseline of `bench/track.ts`: a node:http server that responds to every request with a small
// image and does nothing else.
import { createServer } from 'node:http';

const pixel = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
const headers = { 'content-type': 'image/gif', 'content-length': String(pixel.length) };

createServer((_, response) => {
  response.writeHead(200, headers);
  response.end(pixel);
}).listen(Number(process.argv[2]), '127.0.0.1', () => process.send?.('ready'));
