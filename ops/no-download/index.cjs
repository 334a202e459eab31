// onnxruntime-node calls this first in its install script, on every npm that runs install scripts. Ending the script here limits the installation to registry
// packages: it would otherwise download a GPU build of 300 MB. (An .npmrc setting did this before; npm 11 warns about it.)
exports.bootstrap = () => process.exit(0);
