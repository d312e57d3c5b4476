// Requests one value: text, email, url, tel, select or multiselect. Markup is removed from the
// input, and a URL without a scheme gets https. `subscribersField` selects the messages for the
// title of a subscriber field.
import { createStore } from '../store.ts';

export type InputType = 'text' | 'email' | 'url' | 'tel' | 'select' | 'multiselect';

export interface InputQuestion<Type extends InputType = InputType> {
  type: Type;
  title: string;
  label: string;
  description?: string;
  placeholder?: string;
  value?: InputAnswer<Type>;
  /** For select and multiselect. */
  options?: { value: string; label: string }[];
  /** select, multiselect: creates an option; resolves to its value. */
  onCreate?: (text: string) => Promise<string | undefined>;
  /** multiselect: maximum number of values. */
  maxValues?: number;
  /** Maximum number of characters. */
  maxLength?: number;
  /** A subscriber field's title: "Field is required", "Title is too short" (under 3). */
  subscribersField?: boolean;
  /** tel: the country of numbers without a prefix. */
  country?: string;
  /**
   * tel: only the server validates the number, because it may accept numbers reserved for fiction.
   */
  isServerChecked?: boolean;
  /** The button's verb. */
  confirm: string;
  /**
   * Runs before the dialog closes. The dialog stays open if the result is STAY_OPEN or the call
   * fails; the messages of a 422 are shown below the field.
   */
  send?: (value: InputAnswer<Type>) => Promise<unknown>;
}

/** The result of `send` if the user chose not to continue. */
export const STAY_OPEN = Symbol('keep open');

export type InputAnswer<Type extends InputType> = Type extends 'multiselect' ? string[] : string;

export type PromptValue = string | string[];

export interface InputRequest extends Omit<InputQuestion, 'send' | 'value'> {
  value: PromptValue;
  send: ((value: PromptValue) => Promise<unknown>) | undefined;
  resolve: (value: PromptValue | undefined) => void;
}

export const pendingInput = createStore<InputRequest | undefined>(undefined);

/** Resolves to the value, or undefined if the dialog was closed or replaced by another one. */
export function promptInput<Type extends InputType>(
  question: InputQuestion<Type>,
): Promise<InputAnswer<Type> | undefined> {
  pendingInput.get()?.resolve(undefined);
  return new Promise((resolve) => {
    pendingInput.set({
      ...question,
      value: question.value ?? (question.type === 'multiselect' ? [] : ''),
      send: question.send as InputRequest['send'],
      resolve: resolve as InputRequest['resolve'],
    });
  });
}
