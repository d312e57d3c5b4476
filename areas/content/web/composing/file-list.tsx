// Attachments and their sizes.
import { ActionIcon, Text } from '@mantine/core';
import { IconFile, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ResponseOf } from '#platform/web/api/api.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { composingCalls } from '../../composing-contract.ts';
import classes from './attachments.module.css';
import { api, resolveCall, type EmailRef } from './composing.ts';

type ListedAttachment = ResponseOf<
  ReturnType<typeof composingCalls<'/{base}'>>,
  'GET /{base}/{id}/attachments'
>['data'][number];

/**
 * Loads the attachments of an email. If the email is not found, this query must not replace the
 * screen with /404.
 */
export const useAttachments = (email: EmailRef) =>
  useQuery({
    ...api.query(resolveCall(email, 'GET /{base}/{id}/attachments'), { params: { id: email.id } }),
    meta: { notFound: 'inline' },
  });

export interface AttachmentsProps {
  email: EmailRef;
  /** Saves the content first because attachments belong to it. Returns false if that failed. */
  saveContent: () => Promise<boolean>;
}

interface FileListProps {
  files: readonly ListedAttachment[];
  remove?: (id: string) => void;
}

export function FileList({ files, remove }: FileListProps) {
  const t = useTexts('composing');
  const { bytes } = useFormats();
  return (
    <ul className={classes.files} aria-label={t('attachments.title')}>
      {files.map(({ id, name, bytes: size }) => (
        <li key={id} className={classes.file}>
          <IconFile size={16} stroke={1.75} aria-hidden="true" />
          <Text size="sm" className={classes.name} title={name}>
            <bdi>{name}</bdi>
          </Text>
          <Text size="xs" c="dimmed" className={classes.size}>
            {bytes(size)}
          </Text>
          {remove && (
            <ActionIcon
              size="sm"
              variant="subtle"
              color="gray"
              aria-label={t('attachments.remove', { name: `\u2068${name}\u2069` })}
              onClick={() => remove(id)}
            >
              <IconX size={14} stroke={1.75} />
            </ActionIcon>
          )}
        </li>
      ))}
    </ul>
  );
}
