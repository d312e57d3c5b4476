// Something to wait for that others raise: a raise while nobody waits is kept for the next wait.
export class Signal {
  private isRaised = false;
  private wake: (() => void) | undefined;

  raise(): void {
    this.isRaised = true;
    const { wake } = this;
    // Many may raise it before whoever waits gets to run.
    this.wake = undefined;
    wake?.();
  }

  /** True if it was raised, false if the time ran out. */
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
