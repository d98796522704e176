import { cpus, freemem, hostname, totalmem } from "node:os";
import type { Content } from "../wire/message.js";

/** Processor time, in milliseconds, and when it was read. */
interface Reading {
  readonly at: number;
  /** Of the kernel's process. */
  readonly own: number;
  /** Of all processors, busy and in all. */
  readonly busy: number;
  readonly all: number;
}

/**
 * What the kernel's process takes of the computer, under ipykernel's names. Shares of processor time are since it was last
 * asked; `host_cpu_percent` is absent the first time, as there. Memory is in bytes.
 */
export class Usage {
  #last: Reading = readProcessors();
  #isFirst = true;

  read(): Content {
    const { own, busy, all, at } = readProcessors();
    const last = this.#last;
    const elapsed = Math.max(at - last.at, 1);
    const shares =
      all > last.all && !this.#isFirst ? { host_cpu_percent: (100 * (busy - last.busy)) / (all - last.all) } : {};
    this.#last = { own, busy, all, at };
    this.#isFirst = false;
    const [total, available] = [totalmem(), freemem()];
    return {
      hostname: hostname(),
      pid: process.pid,
      kernel_cpu: (100 * (own - last.own)) / elapsed,
      kernel_memory: process.memoryUsage.rss(),
      cpu_count: cpus().length,
      ...shares,
      host_virtual_memory: {
        total,
        available,
        free: available,
        used: total - available,
        percent: (100 * (total - available)) / total,
      },
    };
  }
}

function readProcessors(): Reading {
  const { user, system } = process.cpuUsage();
  const times = cpus().map(({ times }) => times);
  const all = times.reduce((sum, { user, nice, sys, idle, irq }) => sum + user + nice + sys + idle + irq, 0);
  const idle = times.reduce((sum, time) => sum + time.idle, 0);
  return { at: performance.now(), own: (user + system) / 1000, busy: all - idle, all };
}
