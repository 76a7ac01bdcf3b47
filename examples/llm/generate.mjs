// SPDX-License-Identifier: MIT
// Generates tokens by llama.cpp, as its package for Node brings it: node generate.mjs MODEL.gguf [cuda|cpu] [COUNT]
import {getLlama, LlamaLogLevel} from "node-llama-cpp";

const [model, device = "cuda", count = "4"] = process.argv.slice(2);
const llama = await getLlama({gpu: device === "cpu" ? false : "cuda", build: "never", skipDownload: true,
                              progressLogs: false, logLevel: LlamaLogLevel.error});
const loaded = await llama.loadModel({modelPath: model, gpuLayers: device === "cpu" ? 0 : "max"});
const context = await loaded.createContext({contextSize: 256, batchSize: 64, sequences: 1});
const tokens = [];
for await (const token of context.getSequence().evaluate(loaded.tokenize("once upon a time"), {temperature: 0})) {
    tokens.push(token);
    if (tokens.length >= Number(count))
        break;
}
console.log(`${llama.gpu || "cpu"}: ${tokens.join(" ")}`);
process.exit(0);
