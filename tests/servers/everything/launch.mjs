// Starts the official everything server, which cannot be told a free port.
//
//   node launch.mjs --http | --stdio
//
// Over HTTP it would listen on a fixed port of every interface. Here the first
// listener of the process gets a port of the system's choice on the loopback
// interface instead; the server itself is untouched.

import { Server } from 'node:net';

const PACKAGE = '@modelcontextprotocol/server-everything/dist/index.js';

function listenOnLoopback() {
  const listen = Server.prototype.listen;
  Server.prototype.listen = function loopback(_port, ...rest) {
    Server.prototype.listen = listen;
    this.once('listening', () => console.log(`listening on http://127.0.0.1:${this.address().port}/mcp`));
    return listen.call(this, { port: 0, host: '127.0.0.1' }, ...rest.filter((one) => typeof one === 'function'));
  };
}

const [flag, ...more] = process.argv.slice(2);
if (more.length > 0 || !['--http', '--stdio'].includes(flag)) {
  console.error('usage: node launch.mjs --http | --stdio');
  process.exit(2);
}
if (flag === '--http') listenOnLoopback();
// The server reads its transport from the arguments.
process.argv.splice(2, 1, flag === '--http' ? 'streamableHttp' : 'stdio');
await import(PACKAGE);
