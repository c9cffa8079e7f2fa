// Scans the host that is named, as MDN's Observatory does, where ports 80 and 443 are two others of this machine:
//     node observatory.mjs HOST PORT_OF_HTTP PORT_OF_HTTPS
// package.json holds its http-cookie-agent at 6, the last that Node 18, as in Debian 12, can read.
import fs from 'node:fs';
import net from 'node:net';

const [host, http, https] = process.argv.slice(2);
const ports = { 80: http, 443: https };
const { connect } = net.Socket.prototype;
net.Socket.prototype.connect = function (...given) {
  const [options] = Array.isArray(given[0]) ? given[0] : given;
  if (options.host !== host || !ports[options.port]) throw new Error(`not to be asked: ${options.host}:${options.port}`);
  Object.assign(options, { host: '127.0.0.1', port: Number(ports[options.port]) });
  return connect.apply(this, given);
};
// Browsers' list of hosts that are asked by TLS alone, which an install without scripts has not fetched: nobody is on it.
const { readFileSync } = fs;
fs.readFileSync = (path, ...how) => (String(path).endsWith('hsts-preload.json') ? '{}' : readFileSync(path, ...how));

const { scan } = await import('@mdn/mdn-http-observatory');
process.stdout.write(JSON.stringify(await scan(host)));
