// Asks before an act that cannot be taken back, naming the thing and the count.
import { createStore } from '../store.ts';

export interface Question {
  title: string;
  /** What will happen, with the name and the count. */
  message: string;
  /** The act's own verb: "Delete 3 groups". */
  confirm: string;
  /** What stays instead, in words of its own: "Stick with Professional"; by default "Cancel". */
  cancel?: string;
  isDanger?: boolean;
  /** Must be typed before the button works. */
  typed?: string;
  /** Runs while the dialog waits; an error is shown and the dialog stays. */
  run?: () => Promise<unknown>;
}

export const askedConfirmation = createStore<
  (Question & { answer: (yes: boolean) => void }) | undefined
>(undefined);

/** `if (await confirm({ title, message, confirm: t('delete') })) …` */
export function confirm(question: Question): Promise<boolean> {
  askedConfirmation.get()?.answer(false);
  return new Promise((resolve) => {
    askedConfirmation.set({ ...question, answer: resolve });
  });
}
