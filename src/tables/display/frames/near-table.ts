// A table with all its rows in its output.
import { startTable } from "./table.js";

void startTable();
