"""The types of all calls are in calls.pyi, generated from the API's description."""


class Calls:
    def call(self, name, *, params=None, query=None, body=None, idempotency_key=None, cancel=None):
        """One call, by its method and path: ``call("POST /v2/message/send", body={...})``.

        Retried if safe, under one Idempotency-Key, so that it takes effect once. Raises
        SendloomError, the network's own error after the last retry, or Cancelled.
        """
        return self._call(name, params, query, body, idempotency_key, cancel)

    def _call(self, name, params, query, body, idempotency_key, cancel):
        raise NotImplementedError
