// Tracks whether the browser is online. While it is offline, the shell shows no errors.
import { useSyncExternalStore } from 'react';

export function isOnline(): boolean {
  return navigator.onLine;
}

export function onConnection(listener: (online: boolean) => void): () => void {
  const notify = () => listener(navigator.onLine);
  window.addEventListener('online', notify);
  window.addEventListener('offline', notify);
  return () => {
    window.removeEventListener('online', notify);
    window.removeEventListener('offline', notify);
  };
}

export function useOnline(): boolean {
  return useSyncExternalStore((changed) => onConnection(changed), isOnline);
}
