// Actions on a sending domain from its list and from its own page.
import { firstOf, useFormats } from '#platform/web/texts/formats.ts';
import { EMAIL_SENT_MS, toast } from '#platform/web/errors/notices.tsx';
import { invalidate, useAct } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import type { Domain } from '../contract.ts';
import { api, LIST } from './queries.ts';

/** Maximum number of titles in one sentence. */
const MAX_NAMED = 3;
const KINDS = ['campaign', 'workflow', 'transactional', 'form'] as const;

export function useDomainActions() {
  const t = useTexts('domains');
  const { list } = useFormats();
  const resend = useAct(
    (domain: Domain) =>
      api('POST /client-api/api/domains/{id}/resend', { params: { id: domain.id } }),
    {
      onDone: (_, domain) =>
        toast(t('resend.done', { email: domain.email }), { duration: EMAIL_SENT_MS }),
    },
  );
  /** A sentence with the campaigns that stop without it; '' for none or unknown. */
  const whatStops = async ({ id }: Domain): Promise<string> => {
    const { data: uses } = await api('GET /client-api/api/domains/{id}/uses', { params: { id } });
    if (uses.length === 0) return '';
    const titles = uses.map(({ kind, title }) =>
      t(`remove.uses.${KINDS.find((known) => known === kind) ?? 'other'}`, { title }),
    );
    const named = firstOf(titles, MAX_NAMED, (count) => t('remove.more', { count }));
    return t('remove.stops', { uses: list(named) });
  };
  const findBlockers = useAct((domain: Domain) => whatStops(domain).catch(() => ''));
  const confirmRemove = async (domain: Domain, stops: string, leave?: () => Promise<void>) => {
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
    await invalidate(LIST);
  };
  const isLoading = ({ id }: Domain) => findBlockers.isPending && findBlockers.variables.id === id;
  /**
   * `leave` navigates away from the page of the domain, since that page must not query a removed
   * domain.
   */
  const remove = (domain: Domain, leave?: () => Promise<void>): void => {
    if (isLoading(domain)) return;
    // Handled only while the screen is open and no other domain is selected: otherwise the dialog
    // would open over the next screen.
    findBlockers.mutate(domain, { onSuccess: (stops) => void confirmRemove(domain, stops, leave) });
  };
  return { resend, remove, isLoading };
}
