// Asks for one value: text, email, url, tel, select or multiselect. What is typed is cleaned of
// markup, a URL typed without its scheme gets https; `subscribersField` asks for a field's title with the specified
// words.
import { createStore } from '../store.ts';

export type InputType = 'text' | 'email' | 'url' | 'tel' | 'select' | 'multiselect';

export interface InputQuestion<Type extends InputType = InputType> {
  type: Type;
  title: string;
  label: string;
  description?: string;
  placeholder?: string;
  value?: Answer<Type>;
  /** For select and multiselect. */
  options?: { value: string; label: string }[];
  /** multiselect: at most so many. */
  maxValues?: number;
  /** Characters at most. */
  maxChar?: number;
  /** A subscriber field's title: "Field is required", "Title is too short" (under 3). */
  subscribersField?: boolean;
  /** tel: the country of numbers written without their prefix. */
  country?: string;
  /** The button's verb. */
  confirm: string;
  /** Runs while the dialog waits; a 422's words land below the field. KEEP_OPEN leaves the dialog open. */
  send?: (value: Answer<Type>) => Promise<unknown>;
}

/** What `send` resolves to when the user chose not to go on. */
export const KEEP_OPEN = Symbol('keep open');

export type Answer<Type extends InputType> = Type extends 'multiselect' ? string[] : string;

export type Value = string | string[];

export interface AskedInput extends Omit<InputQuestion, 'send' | 'value'> {
  value: Value;
  send: ((value: Value) => Promise<unknown>) | undefined;
  answer: (value: Value | undefined) => void;
}

export const askedInput = createStore<AskedInput | undefined>(undefined);

/** Resolves to the value, or undefined if the dialog was closed. */
export function askInput<Type extends InputType>(
  question: InputQuestion<Type>,
): Promise<Answer<Type> | undefined> {
  askedInput.get()?.answer(undefined);
  return new Promise((resolve) => {
    askedInput.set({
      ...question,
      value: question.value ?? (question.type === 'multiselect' ? [] : ''),
      send: question.send as AskedInput['send'],
      answer: resolve as AskedInput['answer'],
    });
  });
}
