// Starts the official suite's own everything server on a free port of the loopback interface.
//
//   node launch.mjs --http
//
// The server itself is untouched; `install.py` makes everything-server.mjs of its source.

import { Server } from 'node:net';

const listen = Server.prototype.listen;
Server.prototype.listen = function loopback(_port, ...rest) {
  Server.prototype.listen = listen;
  this.once('listening', () => console.log(`listening on http://127.0.0.1:${this.address().port}/mcp`));
  return listen.call(this, { port: 0, host: '127.0.0.1' }, ...rest.filter((one) => typeof one === 'function'));
};

if (process.argv[2] !== '--http' || process.argv.length > 3) {
  console.error('usage: node launch.mjs --http');
  process.exit(2);
}
await import('./everything-server.mjs');
