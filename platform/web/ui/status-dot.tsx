// A state as a dot with a word: never color alone.
import classes from './status-dot.module.css';

export type Tone = 'neutral' | 'active' | 'success' | 'warning' | 'danger';

/** `active` pulses gently: work is in progress. */
export function StatusDot({ tone, label }: { tone: Tone; label: string }) {
  return (
    <span className={classes.status}>
      <span className={classes.dot} data-tone={tone} aria-hidden="true" />
      {label}
    </span>
  );
}
