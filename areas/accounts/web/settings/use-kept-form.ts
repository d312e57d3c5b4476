// A settings form that remains open after it is saved. Its input is preserved when the user leaves
// the screen.
import type { ServerForm, ServerFormOptions } from '#platform/web/forms.ts';
import { useKeptForm } from '#platform/web/session/use-kept-form.ts';

export function useSavedForm<Values extends Record<string, unknown>>(
  name: string,
  options: ServerFormOptions<Values>,
): ServerForm<Values> {
  const savedForm = useKeptForm<Values>(`settings:${name}`, {
    ...options,
    send: async (values) => {
      await options.send(values);
      savedForm.form.resetDirty(values);
    },
  });
  return savedForm;
}
