// Offers to apply a changed delay to people who already wait; otherwise their wait ends as before.
import { Alert, Button, Text } from '@mantine/core';
import { toast } from '#platform/web/errors/notices.tsx';
import { invalidate } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import type { WorkflowStep } from '../../contract.ts';
import { api, LIST_PATH } from '../queries.ts';
import { useBuilder } from '../use-builder.ts';
import { useStepTexts } from '../step-texts.ts';

export function Recount({ step }: { step: WorkflowStep }) {
  const t = useTexts('workflows');
  const { workflow } = useBuilder();
  const { getStepSummary } = useStepTexts();
  const { here: count } = step;
  const confirmRecount = async () => {
    await confirm({
      title: t('recount.title', { count }),
      message: t('recount.message', { delay: getStepSummary(step) }),
      confirm: t('recount.confirm'),
      run: async () => {
        const { data } = await api(
          'POST /client-api/api/workflows/{id}/steps/{stepId}/apply_delay',
          { params: { id: workflow.id, stepId: step.id } },
        );
        toast(t('recount.done', { count: data.people }));
      },
    });
    await invalidate(LIST_PATH);
  };
  return (
    <Alert color="gray">
      <Text size="sm">{t('recount.text', { count })}</Text>
      <Button mt="sm" size="xs" variant="default" onClick={() => void confirmRecount()}>
        {t('recount.confirm')}
      </Button>
    </Alert>
  );
}
