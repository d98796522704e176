/** Opens a snapshot of a long log and answers the first question: `node from-snapshot.mjs FOLDER`. */
import { openSnapshot } from "../../modules/index.js";
import { firstAnswer } from "./first-answer.mjs";

await firstAnswer(() => openSnapshot(process.argv[2]));
