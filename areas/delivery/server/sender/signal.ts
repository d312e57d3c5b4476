// A signal: a raise without a waiter is stored for the next wait.
export class Signal {
  private isRaised = false;
  private wake: (() => void) | undefined;

  raise(): void {
    this.isRaised = true;
    const { wake } = this;
    // Several raises may happen before the waiter runs.
    this.wake = undefined;
    wake?.();
  }

  /** True if raised, false after the timeout. */
  async wait(milliseconds: number): Promise<boolean> {
    if (!this.isRaised) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, milliseconds);
        this.wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.wake = undefined;
    }
    const { isRaised } = this;
    this.isRaised = false;
    return isRaised;
  }
}
