// What the address asks for: the checks, or the measurement. `outcome` is what comes of it.

const query = new URLSearchParams(location.search);
const { run } = await import(query.has('speed') ? './speed.js' : './checks.js');
globalThis.outcome = await run(query);
