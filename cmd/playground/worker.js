
// The worker's part of the page: it starts the engine, hands questions to it, and says what the engine said last.
let said = '';
globalThis.fs.writeSync = (fd, bytes) => {
  said = (said + new TextDecoder().decode(bytes)).slice(0, 4000);
  return bytes.length;
};
const ended = (why) => postMessage('ended ' + JSON.stringify(said || String(why || '')));
onmessage = ({data}) => {
  if (typeof data === 'string') return ask(data);
  const go = new Go();
  go.exit = () => {}; // ended() says it
  WebAssembly.instantiate(data, go.importObject).then((instance) => go.run(instance)).then(ended, ended);
};
onerror = (event) => ended(event.message || event);
