// A signal for one waiter. If nothing waits when it is raised, the next wait ends immediately.
export class WakeSignal {
  private isRaised = false;
  private wake: (() => void) | undefined;

  raise(): void {
    this.isRaised = true;
    const { wake } = this;
    // `wake` is cleared because the signal may be raised again before the waiter continues.
    this.wake = undefined;
    wake?.();
  }

  /** Waits until the signal is raised (true) or the time has elapsed (false). */
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
