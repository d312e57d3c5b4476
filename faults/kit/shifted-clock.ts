// Preloaded into a process: shifts its clock by SHIFT_MS.
const shift = Number(process.env.SHIFT_MS ?? 0);
const now = Date.now;
const RealDate = Date;

class Shifted extends RealDate {
  constructor(...args: unknown[]) {
    if (args.length === 0) super(now() + shift);
    else super(...(args as [number]));
  }
  static override now(): number {
    return now() + shift;
  }
}

globalThis.Date = Shifted as DateConstructor;
