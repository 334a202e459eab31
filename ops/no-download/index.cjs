// onnxruntime-node calls this first in its install script, on every npm that runs install scripts. Ending the script here keeps
// installation to registry packages: what it would download is a GPU build of 300 MB. (An .npmrc setting did this before; npm 11 warns of it.)
exports.bootstrap = () => process.exit(0);
