// Deletes a group. Its members remain by default; to also delete them, the user must type their
// number.
import { Button, Checkbox, Group as Row, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useFormats } from '#platform/web/texts/formats.ts';
import { notice, toast } from '#platform/web/errors/notices.tsx';
import { useAction } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { useOpenedHere } from '#platform/web/hooks/use-opened.ts';
import { Dialog } from '#platform/web/ui/form-dialog.tsx';
import { toLatinDigits } from '#platform/digits.ts';
import type { Group } from '../contract.ts';
import { api, LIST_PATH } from './queries.ts';

export function DeleteGroup({ group, onClose }: { group: Group; onClose: () => void }) {
  const t = useTexts('groups');
  const p = useTexts('platform');
  const [withPeople, setWithPeople] = useState(false);
  const [typedCount, setTypedCount] = useState('');
  const count = group.recipient_count;
  const countText = String(count);
  const remove = useDelete(group, withPeople, onClose);
  return (
    <Dialog
      opened={useOpenedHere()}
      onClose={onClose}
      title={t('delete.title', { title: group.title })}
    >
      <Stack gap="md">
        {!withPeople && <Text size="sm">{t('delete.message', { count })}</Text>}
        {count > 0 && (
          <Checkbox
            label={t('delete.withPeople', { count })}
            checked={withPeople}
            onChange={(event) => setWithPeople(event.currentTarget.checked)}
          />
        )}
        {withPeople && (
          <TextInput
            label={p('confirm.type', { words: countText })}
            value={typedCount}
            autoComplete="off"
            inputMode="numeric"
            onChange={(event) => setTypedCount(event.currentTarget.value)}
          />
        )}
        <Row justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {p('confirm.cancel')}
          </Button>
          <Button
            color="danger"
            loading={remove.isPending}
            disabled={withPeople && toLatinDigits(typedCount.trim()) !== countText}
            onClick={() => remove.mutate(undefined)}
          >
            {withPeople ? t('delete.confirmWith', { count }) : t('delete.confirm')}
          </Button>
        </Row>
      </Stack>
    </Dialog>
  );
}

function useDelete(group: Group, withPeople: boolean, onClose: () => void) {
  const t = useTexts('groups');
  const { list } = useFormats();
  return useAction(
    () =>
      api('DELETE /client-api/api/tags/{id}', {
        params: { id: group.id },
        body: { delete_subscribers: withPeople },
      }),
    {
      invalidates: [LIST_PATH, '/client-api/api/subscribers', '/client-api/api/users'],
      onDone: (result) => {
        onClose();
        const { queued, kept_by: retainedBy, deleted_subscribers: deletedCount } = result;
        if (queued) notice(t('delete.queued', { title: group.title }));
        else if (retainedBy) {
          const names = list(retainedBy.map((item) => item.title));
          notice(t('delete.kept', { title: group.title, count: deletedCount, names }));
        } else
          toast(
            deletedCount > 0
              ? t('delete.doneWith', { title: group.title, count: deletedCount })
              : t('delete.done', { title: group.title }),
          );
      },
    },
  );
}
