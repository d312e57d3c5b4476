// A question before an action, often an irreversible one; it names the object and the count.
import { createStore } from '../store.ts';

export interface ConfirmQuestion {
  title: string;
  /** The consequence of the action, with the name and the count. */
  message: string;
  /** Shown below the message as a list. */
  names?: readonly string[];
  /** The action's verb: "Delete 3 groups". */
  confirm: string;
  /** The alternative, in specific words: "Stick with Professional"; by default "Cancel". */
  cancel?: string;
  isDanger?: boolean;
  /** Must be typed to enable the button. */
  requiredText?: string;
  /** Runs while the dialog waits. After an error, a notice shows it and the dialog stays open. */
  run?: () => Promise<unknown>;
}

export const pendingConfirmation = createStore<
  (ConfirmQuestion & { resolve: (yes: boolean) => void }) | undefined
>(undefined);

/** `if (await confirm({ title, message, confirm: t('delete') })) …` */
export function confirm(question: ConfirmQuestion): Promise<boolean> {
  pendingConfirmation.get()?.resolve(false);
  return new Promise((resolve) => {
    pendingConfirmation.set({ ...question, resolve });
  });
}
