// Comments of the account's users on an item. Users add them with mentions, resolve, reopen and
// delete them.
import { Badge, Button, Group, MultiSelect, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { toUnicodeDomain } from '#platform/domain-display.ts';
import { http } from '#platform/web/api/http.ts';
import { useAction } from '#platform/web/api/queries.ts';
import { useSession } from '#platform/web/session/session.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import { RowMenu } from '#platform/web/ui/row-menu.tsx';
import { FailedState } from '#platform/web/ui/states.tsx';
import type { ItemNote } from '../items-contract.ts';
import { MAX_MENTIONS } from '../shared.ts';
import classes from './folders.module.css';
import { NoteField } from './note-field.tsx';
import { createItemApi } from './queries.ts';

interface ItemCommentsProps {
  /** The base path of the items' calls. */
  base: string;
  id: string;
  /** If set, only comments on this block are shown, and new ones are added to it. */
  block?: string;
  hasHeading?: boolean;
}

export default function ItemComments({ base, id, block, hasHeading = true }: ItemCommentsProps) {
  const t = useTexts('folders');
  const { number } = useFormats();
  const api = createItemApi(base);
  const comments = useQuery({
    ...api.query('GET /client-api/api/campaigns/{id}/notes', { params: { id } }),
    // The page itself shows that the item is gone.
    meta: { notFound: 'inline' },
  });
  const [isAll, setAll] = useState(false);
  const allComments = comments.data?.data ?? [];
  const rows =
    block === undefined ? allComments : allComments.filter((comment) => comment.block === block);
  const openComments = rows.filter(({ resolved }) => !resolved);
  const resolvedCount = rows.length - openComments.length;
  return (
    <section aria-label={t('comments.title')}>
      {hasHeading && <h2 className={classes.heading}>{t('comments.title')}</h2>}
      {comments.isLoadingError && (
        <FailedState error={comments.error} retry={() => void comments.refetch()} />
      )}
      <ul className={classes.notes}>
        {(isAll ? rows : openComments).map((comment) => (
          <Comment
            key={comment.id}
            comment={comment}
            base={base}
            id={id}
            isBlockNamed={block === undefined}
          />
        ))}
      </ul>
      {resolvedCount > 0 && !isAll && (
        <Button size="compact-sm" variant="subtle" onClick={() => setAll(true)}>
          {t('comments.showResolved', { n: number(resolvedCount) })}
        </Button>
      )}
      <NewComment base={base} id={id} block={block} />
    </section>
  );
}

interface NewCommentProps {
  base: string;
  id: string;
  block: string | undefined;
}

function NewComment({ base, id, block }: NewCommentProps) {
  const t = useTexts('folders');
  const [text, setText] = useState('');
  const [mentions, setMentions] = useState<string[]>([]);
  const users = useColleagues(text.trim() !== '');
  const add = useAction(
    () =>
      createItemApi(base)('POST /client-api/api/campaigns/{id}/notes', {
        params: { id },
        body: {
          text: text.trim(),
          ...(block !== undefined && { block }),
          ...(mentions.length > 0 && { mentions }),
        },
        idempotencyKey: crypto.randomUUID(),
      }),
    {
      invalidates: [`${base}/${id}/notes`],
      onDone: () => {
        setText('');
        setMentions([]);
      },
    },
  );
  return (
    <>
      <NoteField label={t('comments.new')} value={text} onChange={setText} />
      {text.trim() !== '' && (
        <Group justify="space-between" align="end" mt="xs">
          {users.length > 0 ? (
            <MultiSelect
              flex={1}
              size="xs"
              label={t('comments.notify')}
              data={users}
              value={mentions}
              maxValues={MAX_MENTIONS}
              onChange={setMentions}
            />
          ) : (
            <span />
          )}
          <Button size="xs" loading={add.isPending} onClick={() => add.mutate(undefined)}>
            {t('comments.add')}
          </Button>
        </Group>
      )}
    </>
  );
}

type Colleague = { id: string; name: string | null; surname: string | null; email: string };

/** Loads the other users of the account. */
function useColleagues(isNeeded: boolean): { value: string; label: string }[] {
  const { user } = useSession();
  const path = '/client-api/api/account_users';
  const { data } = useQuery({
    queryKey: [...path.split('/').filter(Boolean), { limit: 100 }],
    queryFn: ({ signal }) =>
      http<{ data: Colleague[] }>('GET', path, { query: { limit: 100 }, signal }),
    enabled: isNeeded,
    retry: false,
  });
  return (data?.data ?? [])
    .filter(({ id }) => id !== user.id)
    .map(({ id, name, surname, email }) => ({
      value: id,
      label: [name, surname].filter(Boolean).join(' ') || toUnicodeDomain(email),
    }));
}

interface CommentProps {
  comment: ItemNote;
  base: string;
  id: string;
  isBlockNamed: boolean;
}

function Comment({ comment, base, id, isBlockNamed }: CommentProps) {
  const t = useTexts('folders');
  const { dateTime } = useFormats();
  const api = createItemApi(base);
  const params = { id, note: comment.id };
  const invalidates = [`${base}/${id}/notes`];
  const erase = useAction(
    () => api('DELETE /client-api/api/campaigns/{id}/notes/{note}', { params }),
    { invalidates },
  );
  const resolve = useAction(
    (is_resolved: boolean) =>
      api('PATCH /client-api/api/campaigns/{id}/notes/{note}', { params, body: { is_resolved } }),
    { invalidates },
  );
  const remove = () =>
    confirm({
      title: t('comments.deleteTitle'),
      message: comment.text,
      confirm: t('delete'),
      isDanger: true,
      run: () => erase.mutateAsync(undefined),
    });
  const isResolved = comment.resolved !== null;
  return (
    <li>
      <Group justify="space-between" wrap="nowrap" align="start" gap="xs">
        <div>
          {isBlockNamed && comment.block !== null && (
            <Text size="xs" c="dimmed">
              {t('comments.block')}
            </Text>
          )}
          <bdi className={classes.note}>{comment.text}</bdi>
          {comment.mentions.map((name) => (
            <Badge key={name} variant="light" size="sm" tt="none" me={4}>
              @<bdi>{name}</bdi>
            </Badge>
          ))}
          <p className={classes.author}>
            <bdi>{comment.author}</bdi> · <time dateTime={comment.at}>{dateTime(comment.at)}</time>
            {comment.resolved && ` · ${t('comments.resolvedBy', { by: comment.resolved.by })}`}
          </p>
        </div>
        <RowMenu
          row={comment}
          name={t('comments.menu')}
          actions={[
            {
              label: t(isResolved ? 'comments.reopen' : 'comments.resolve'),
              run: () => resolve.mutate(!isResolved),
            },
            { label: t('delete'), isDanger: true, run: () => void remove() },
          ]}
        />
      </Group>
    </li>
  );
}
