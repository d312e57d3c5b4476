// What is done to a sending domain from its list and from its own page.
import { showError } from '#platform/web/errors.ts';
import { useFormats } from '#platform/web/formats.ts';
import { toast } from '#platform/web/notices.tsx';
import { touch, useAct } from '#platform/web/queries.ts';
import { useTexts } from '#platform/web/texts.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import type { Domain } from '../contract.ts';
import { api, LIST } from './queries.ts';

/** Titles of campaigns in one sentence. */
const NAMED_MOST = 3;

export function useDomainActs() {
  const t = useTexts('domains');
  const { list } = useFormats();
  const resend = useAct(
    (domain: Domain) =>
      api('POST /client-api/api/domains/{id}/resend', { params: { id: domain.id } }),
    { onDone: (_, domain) => toast(t('resend.done', { email: domain.email })) },
  );
  /** A sentence that names the campaigns which stop without it; '' where none does. */
  const whatStops = async ({ id }: Domain): Promise<string> => {
    const { data: uses } = await api('GET /client-api/api/domains/{id}/uses', { params: { id } });
    if (uses.length === 0) return '';
    const named = uses.slice(0, NAMED_MOST).map(({ title }) => t('remove.campaign', { title }));
    const more = uses.length - named.length;
    if (more > 0) named.push(t('remove.more', { count: more }));
    return t('remove.stops', { count: uses.length, campaigns: list(named) });
  };
  /** `leave` goes from what shows it, which must not look for it once it is gone. */
  const remove = async (domain: Domain, leave?: () => Promise<void>): Promise<void> => {
    const stops = await whatStops(domain).catch(showError);
    if (stops === undefined) return;
    const isDone = await confirm({
      title: t('remove.title', { domain: domain.shown_name }),
      message: [stops, t('remove.message', { domain: domain.shown_name })].join(' ').trim(),
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
