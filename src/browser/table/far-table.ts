// A table that may get more rows from a kernel.
import { openKernelChannel } from "./kernel-channel.js";
import { askRows } from "./kernel-rows.js";
import { startTable } from "./table.js";

void startTable({ openKernelChannel, askRows });
