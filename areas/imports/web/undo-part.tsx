// The undo of an import, which is offered for a few days: its progress while it runs, and an exact
// report afterwards.
import { Button, Text } from '@mantine/core';
import { IconArrowBackUp, IconDownload } from '@tabler/icons-react';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useAction } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import type { Import } from '../contract.ts';
import classes from './import-result.module.css';
import { api, CHANGED_BY_IMPORT } from './queries.ts';

export function UndoButton({ data }: { data: Import }) {
  const t = useTexts('imports');
  const { number, date } = useFormats();
  const undo = useAction(
    () => api('POST /client-api/api/imports/{id}/undo', { params: { id: data.id } }),
    { invalidates: CHANGED_BY_IMPORT },
  );
  if (data.undoable_until === null) return null;
  const confirmUndo = () =>
    confirm({
      title: t('undo.title'),
      message: t('undo.message', {
        created: number(data.created_count),
        updated: number(data.updated_count),
      }),
      confirm: t('undo.confirm'),
      isDanger: true,
      run: () => undo.mutateAsync(undefined),
    });
  return (
    <Button
      variant="default"
      leftSection={<IconArrowBackUp size={18} stroke={1.75} />}
      onClick={() => void confirmUndo()}
      title={t('undo.until', { date: date(data.undoable_until) })}
    >
      {t('undo.act')}
    </Button>
  );
}

export function UndoResult({ data }: { data: Import }) {
  const t = useTexts('imports');
  const { number } = useFormats();
  const { undo } = data;
  if (undo === null) return null;
  if (undo.state === 'failed')
    return (
      <Text role="status" size="sm" mt="sm">
        {t('undo.failed', {
          count: undo.removed_count + undo.restored_count,
          shown: number(undo.removed_count + undo.restored_count),
        })}
      </Text>
    );
  if (undo.state !== 'finished')
    return (
      <Text role="status" aria-live="polite" size="sm" mt="sm">
        {t('undo.going', {
          count: undo.removed_count + undo.restored_count,
          shown: number(undo.removed_count + undo.restored_count),
        })}
      </Text>
    );
  return (
    <div role="status" className={classes.undone}>
      <Text fw={600}>{t('undo.done')}</Text>
      <ul className={classes.list}>
        <li>{t('undo.removed', { count: undo.removed_count })}</li>
        <li>{t('undo.restored', { count: undo.restored_count })}</li>
        {undo.left_groups_count > 0 && <li>{t('undo.left', { count: undo.left_groups_count })}</li>}
        {undo.kept.map(({ reason, count }) => (
          <li key={reason}>{t(`undo.kept.${reason}`, { count })}</li>
        ))}
      </ul>
      {undo.kept_count > 0 && (
        <Button
          component="a"
          variant="default"
          size="xs"
          href={`/client-api/api/imports/${data.id}/undo_kept.csv`}
          download
          leftSection={<IconDownload size={16} stroke={1.75} />}
        >
          {t('undo.download')}
        </Button>
      )}
    </div>
  );
}
