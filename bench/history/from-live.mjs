/** Reads a long log from the service and answers the first question: `node from-live.mjs ADDRESS`. */
import { connect } from "../../modules/index.js";
import { firstAnswer } from "./first-answer.mjs";

await firstAnswer(() => connect({ baseUrl: process.argv[2], apiKey: "bench", progress: false }));
