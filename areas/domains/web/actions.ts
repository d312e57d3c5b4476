// Actions on a sending domain, in the list of domains and on the domain's page.
import { summarizeList, useFormats } from '#platform/web/texts/formats.ts';
import { EMAIL_SENT_MS, toast } from '#platform/web/errors/notices.tsx';
import { invalidate, useAction } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import type { Domain } from '../contract.ts';
import { api, LIST_PATH } from './queries.ts';

/** Maximum number of titles in the sentence; the others are only counted. */
const MAX_LISTED_USES = 3;
const KINDS = ['campaign', 'workflow', 'transactional', 'form'] as const;

export function useDomainActions() {
  const t = useTexts('domains');
  const { list } = useFormats();
  const resend = useAction(
    (domain: Domain) =>
      api('POST /client-api/api/domains/{id}/resend', { params: { id: domain.id } }),
    {
      onDone: (_, domain) =>
        toast(t('resend.done', { email: domain.email }), { duration: EMAIL_SENT_MS }),
    },
  );
  /**
   * Returns a sentence with the campaigns, workflows, transactional emails and forms that stop
   * without the domain; '' if there are none.
   */
  const describeAffectedUses = async ({ id }: Domain): Promise<string> => {
    const { data: uses } = await api('GET /client-api/api/domains/{id}/uses', { params: { id } });
    if (uses.length === 0) return '';
    const titles = uses.map(({ kind, title }) =>
      t(`remove.uses.${KINDS.find((useKind) => useKind === kind) ?? 'other'}`, { title }),
    );
    const listedUses = summarizeList(titles, MAX_LISTED_USES, (count) =>
      t('remove.more', { count }),
    );
    return t('remove.stops', { uses: list(listedUses) });
  };
  // A failed check does not prevent the removal: the dialog then lists no uses.
  const loadUses = useAction((domain: Domain) => describeAffectedUses(domain).catch(() => ''));
  const confirmRemove = async (
    domain: Domain,
    affectedUses: string,
    leave?: () => Promise<void>,
  ) => {
    const isDone = await confirm({
      title: t('remove.title', { domain: domain.shown_name }),
      message: [affectedUses, t('remove.message', { domain: domain.shown_name })].join(' ').trim(),
      confirm: t('remove.action'),
      isDanger: true,
      run: () => api('DELETE /client-api/api/domains/{id}', { params: { id: domain.id } }),
    });
    if (!isDone) return;
    toast(t('remove.done', { domain: domain.shown_name }));
    await leave?.();
    await invalidate(LIST_PATH);
  };
  const isCheckingUses = ({ id }: Domain) => loadUses.isPending && loadUses.variables.id === id;
  /**
   * Removes the domain. `leave` leaves the domain's page, so that it does not query the removed
   * domain.
   */
  const remove = (domain: Domain, leave?: () => Promise<void>): void => {
    if (isCheckingUses(domain)) return;
    // `onSuccess` of this call, not of `useAction`: React Query drops it once the user leaves the
    // screen or another domain's check starts, so the dialog never opens over another screen.
    loadUses.mutate(domain, {
      onSuccess: (affectedUses) => void confirmRemove(domain, affectedUses, leave),
    });
  };
  return { resend, remove, isCheckingUses };
}
