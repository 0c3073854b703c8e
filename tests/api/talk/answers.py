"""answers.py - validates every answer against its schema in openapi.json."""
import json
import re

import jsonschema


class Answers:
    """The schemas of one server's answers."""

    def __init__(self, document):
        self.document = document
        resolver = jsonschema.RefResolver("", document)
        self.validator = lambda schema: jsonschema.Draft202012Validator(
            schema, resolver=resolver)
        self.paths = [
            (re.compile(re.sub(r"\{\w+\}", r"[^/]+", re.escape(path).replace(r"\{", "{")
                               .replace(r"\}", "}")) + "$"), methods)
            for path, methods in document["paths"].items()]

    def promised(self, method, path, status):
        """Returns the schemas of an answer, by media type."""
        path = path.split("?")[0]
        if not path.startswith("/api/v1/"):
            path = "/api/v1" + path
        method = {"HEAD": "get"}.get(method, method.lower())
        for pattern, methods in self.paths:
            if pattern.match(path) and method in methods:
                responses = methods[method]["responses"]
                if str(status) in responses:
                    return responses[str(status)].get("content", {})
                return responses["default"]["content"] if status >= 400 else None
        error = {"$ref": "#/components/schemas/error"}
        return {"application/json": {"schema": error}} if status >= 400 else None

    def fault(self, method, path, status, media, body):
        """Returns how the answer violates its schema, or None."""
        promised = self.promised(method, path, status)
        if promised is None:
            return f"openapi.json knows no {status} of {method} {path}"
        media = (media or "").split(";")[0]
        if not promised:
            return f"a body though none is promised: {body[:80]!r}" if body else None
        if media not in promised:
            return f"the type is {media!r}; promised are {sorted(promised)}"
        if method == "HEAD":
            return None
        if media != "application/json":
            return None
        try:
            value = json.loads(body, parse_constant=lambda c: 1 / 0)
        except (ValueError, ZeroDivisionError) as why:
            return f"the body is not JSON: {why}"
        for error in self.validator(promised[media]["schema"]).iter_errors(value):
            where = "/".join(map(str, error.absolute_path))
            return f"not as its schema has it, at '{where}': {error.message[:300]}"
        return None
