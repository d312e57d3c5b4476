// Turns a form on or off in the list and on its page; a refused one opens the builder where it is
// fixed.
import { useNavigate } from '@tanstack/react-router';
import { toast } from '#platform/web/errors/notices.tsx';
import { useAct } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { refusalOf } from './builder/fixes.ts';
import { api, builderPath, LIST } from './queries.ts';

export function useActivation({ id, title }: { id: string; title: string }) {
  const t = useTexts('forms');
  const navigate = useNavigate();
  const open = (error: unknown): never => {
    const fix = refusalOf(error);
    if (fix) void navigate({ to: builderPath(id), search: { fix } as never });
    throw error;
  };
  return useAct(
    (is_active: 0 | 1) =>
      api('PATCH /client-api/api/forms/{id}', { params: { id }, body: { is_active } }).catch(open),
    {
      touches: [LIST],
      onDone: (_, is_active) => toast(t(is_active === 1 ? 'turned.on' : 'turned.off', { title })),
    },
  );
}
