// A table with all its rows in the output.
import { startTable } from "./table.js";

void startTable();
