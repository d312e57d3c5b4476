// The first Tab stop: skips the navigation.
import { useTexts } from '../texts/texts.ts';
import classes from './frames.module.css';

export function SkipLink() {
  const t = useTexts('platform');
  return (
    <a
      className={classes.skip}
      href="#main"
      onClick={(event) => {
        event.preventDefault();
        document.getElementById('main')?.focus();
      }}
    >
      {t('shell.skip')}
    </a>
  );
}
