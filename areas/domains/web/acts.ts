// What is done to a sending domain from its list and from its own page.
import { toast } from '#platform/web/notices.tsx';
import { touch, useAct } from '#platform/web/queries.ts';
import { useTexts } from '#platform/web/texts.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import type { Domain } from '../contract.ts';
import { api, LIST } from './queries.ts';

export function useDomainActs() {
  const t = useTexts('domains');
  const resend = useAct(
    (domain: Domain) =>
      api('POST /client-api/api/domains/{id}/resend', { params: { id: domain.id } }),
    { onDone: (_, domain) => toast(t('resend.done', { email: domain.email })) },
  );
  /** `leave` goes from what shows it, which must not look for it once it is gone. */
  const remove = async (domain: Domain, leave?: () => Promise<void>): Promise<void> => {
    const isDone = await confirm({
      title: t('remove.title', { domain: domain.shown_name }),
      message: t('remove.message', { domain: domain.shown_name }),
      confirm: t('remove.action'),
      isDanger: true,
      run: () => api('DELETE /client-api/api/domains/{id}', { params: { id: domain.id } }),
    });
    if (!isDone) return;
    toast(t('remove.done', { domain: domain.shown_name }));
    await leave?.();
    await touch(LIST);
  };
  return { resend, remove };
}
