// Placeholder while sums of a large campaign are computed: it updates automatically.
import { LoadingState } from '#platform/web/ui/states.tsx';
import { useTexts } from '#platform/web/texts/texts.ts';
import classes from './parts.module.css';

export function Counting() {
  const t = useTexts('reports');
  return (
    <>
      <p className={classes.none} role="status">
        {t('counting')}
      </p>
      <LoadingState rows={4} />
    </>
  );
}
