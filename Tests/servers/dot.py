"""Runs django-oauth-toolkit, an OAuth 2.0 server written in Python, on 127.0.0.1. It rotates refresh tokens, and ends the
session where one comes again after the grace.

  python dot.py DIR PORT LIFETIME GRACE

Its database is in DIR. Access tokens live for LIFETIME seconds; a spent refresh token is taken again for GRACE seconds. There
are the user alice (alice-password), the scope mail, the public client keyrack-test with the password grant, and /api, which
takes an access token.
"""
import sys

import django
from django.conf import settings

directory, port, lifetime, grace = sys.argv[1], *map(int, sys.argv[2:])

settings.configure(
    SECRET_KEY="guards nothing but test data",
    ALLOWED_HOSTS=["127.0.0.1"],
    ROOT_URLCONF=__name__,
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    USE_TZ=True,
    PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],  # quick
    INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "oauth2_provider"],
    MIDDLEWARE=["django.middleware.common.CommonMiddleware"],  # for Content-Length
    MIGRATION_MODULES={name: None for name in ("auth", "contenttypes", "oauth2_provider")},
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": directory + "/dot.db",
                           "OPTIONS": {"timeout": 20, "transaction_mode": "IMMEDIATE"}}},
    OAUTH2_PROVIDER={
        "SCOPES": {"mail": "Read mail"},
        "ACCESS_TOKEN_EXPIRE_SECONDS": lifetime,
        "REFRESH_TOKEN_EXPIRE_SECONDS": 3600,
        "REFRESH_TOKEN_GRACE_PERIOD_SECONDS": grace,
        "ROTATE_REFRESH_TOKEN": True,
        "REFRESH_TOKEN_REUSE_PROTECTION": True,
    },
)
django.setup()

from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.core.servers.basehttp import run
from django.core.wsgi import get_wsgi_application
from django.http import HttpResponse
from django.urls import include, path
from oauth2_provider.decorators import protected_resource
from oauth2_provider.models import get_application_model
from oauth2_provider.signals import app_authorized

urlpatterns = [
    path("o/", include("oauth2_provider.urls", namespace="oauth2_provider")),
    path("api", protected_resource()(lambda _: HttpResponse("hello"))),
]


def seed():
    get_user_model().objects.create_user("alice", password="alice-password")
    App = get_application_model()
    App.objects.create(client_id="keyrack-test", client_type=App.CLIENT_PUBLIC,
                       authorization_grant_type=App.GRANT_PASSWORD)


# The web server's own log leaves out answers that nobody was there to take.
app_authorized.connect(lambda **_: print("granted", flush=True), weak=False)
call_command("migrate", run_syncdb=True, verbosity=0)
seed()
run("127.0.0.1", port, get_wsgi_application(), threading=True)
