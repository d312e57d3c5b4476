// A state as a dot with a word: never colour alone.
import classes from './status-dot.module.css';

export type Tone = 'neutral' | 'active' | 'success' | 'warning' | 'danger';

/** `active` pulses gently: something is happening now. */
export function StatusDot({ tone, label }: { tone: Tone; label: string }) {
  return (
    <span className={classes.status}>
      <span className={classes.dot} data-tone={tone} aria-hidden="true" />
      {label}
    </span>
  );
}
