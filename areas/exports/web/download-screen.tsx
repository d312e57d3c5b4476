// Target of a download link: downloads the file or reports why that failed, and then opens the list
// of subscribers.
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { ApiError } from '#platform/web/api-error.ts';
import { showError } from '#platform/web/errors/errors.ts';
import { notice, toast } from '#platform/web/errors/notices.tsx';
import { useTexts } from '#platform/web/texts/texts.ts';
import { useParam } from '#platform/web/hooks/use-param.ts';
import { LoadingState } from '#platform/web/ui/states.tsx';
import { api, saveFile } from './queries.ts';

export default function DownloadScreen() {
  const t = useTexts('exports');
  const navigate = useNavigate();
  const hash = useParam('hash');
  const isStarted = useRef(false);
  useEffect(() => {
    if (isStarted.current) return;
    isStarted.current = true;
    const start = async () => {
      try {
        const { data } = await api('GET /client-api/api/downloads/{hash}', { params: { hash } });
        saveFile(hash);
        toast(t('link.started', { name: data.file_name }));
      } catch (error) {
        const isExpired =
          error instanceof ApiError && (error.status === 410 || error.status === 422);
        if (!isExpired) showError(error);
        else
          notice(t('link.expiredText'), {
            title: t('link.expired'),
            action: { label: t('title'), run: () => void navigate({ to: '/subscribers/exports' }) },
          });
      }
      await navigate({ to: '/subscribers', replace: true });
    };
    void start();
  }, [hash, navigate, t]);
  return <LoadingState rows={6} />;
}
