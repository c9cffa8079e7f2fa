"""Cookies of self-service and of the hiring pages: one person's token for one tenant."""

from dataclasses import dataclass

from flask import Request, Response


@dataclass(frozen=True, slots=True)
class TenantCookie:
    """A cookie with a token. kind: what the token is for. slug: of the tenant. base_url: of the pages that set it."""

    kind: str
    slug: str
    base_url: str

    def read(self, request: Request) -> str | None:
        """Return the token; None without one, or if the value cannot be a token."""
        value = request.cookies.get(self._name, "")
        return value if 20 <= len(value) <= 100 and value.isascii() else None

    def set(self, response: Response, token: str, *, seconds: int | None) -> None:
        """Set the cookie. seconds: None until the browser closes; the session itself ends earlier on the server."""
        response.set_cookie(
            self._name, token, max_age=seconds, path="/", secure=self._is_https, httponly=True, samesite="Lax"
        )

    def delete(self, response: Response) -> None:
        """Delete the cookie in the browser."""
        response.delete_cookie(self._name, path="/", secure=self._is_https, httponly=True, samesite="Lax")

    @property
    def _name(self) -> str:
        return f"{'__Host-' if self._is_https else ''}{self.kind}-{self.slug}"

    @property
    def _is_https(self) -> bool:
        return self.base_url.startswith("https://")
