"""Runs django-oauth-toolkit, an OAuth 2.0 server written in Python, on 127.0.0.1. It rotates refresh tokens, and ends the
session where one comes again after the grace.

  python dot.py DIR PORT LIFETIME GRACE

Its database is in DIR. It speaks https where certificate.sh has made a certificate in DIR. Access tokens live for LIFETIME
seconds; a spent refresh token is taken again for GRACE seconds. There are the users alice, bob and carol (NAME-password), the
scopes openid and mail, and /api, which takes an access token. Public clients, as an application has one grant here:
keyrack-test with a password, keyrack-browser and keyrack-device. resource, with the secret resource-secret, may ask about tokens.
"""
import os
import ssl
import sys

import django
from django.conf import settings
from jwcrypto.jwk import JWK

directory, port, lifetime, grace = sys.argv[1], *map(int, sys.argv[2:])
is_secure = os.path.exists(directory + "/server.pem")
url = "%s://127.0.0.1:%d" % ("https" if is_secure else "http", port)

settings.configure(
    SECRET_KEY="guards nothing but test data",
    ALLOWED_HOSTS=["127.0.0.1"],
    ROOT_URLCONF=__name__,
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    USE_TZ=True,
    PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],  # quick
    INSTALLED_APPS=["django.contrib." + name for name in ("auth", "contenttypes", "sessions")] + ["oauth2_provider"],
    MIDDLEWARE=[
        "django.middleware.common.CommonMiddleware",  # for Content-Length
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware"],
    TEMPLATES=[{
        "BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True,
        "OPTIONS": {"context_processors": ["django.template.context_processors.request"]}}],
    LOGIN_URL="/login",
    MIGRATION_MODULES={name: None for name in ("auth", "contenttypes", "sessions", "oauth2_provider")},
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": directory + "/dot.db",
                           "OPTIONS": {"timeout": 20, "transaction_mode": "IMMEDIATE"}}},
    OAUTH2_PROVIDER={
        "SCOPES": {"openid": "Know who it is", "mail": "Read mail"},
        "OIDC_ENABLED": True,
        "OIDC_ISS_ENDPOINT": url + "/o",
        "OIDC_RSA_PRIVATE_KEY": JWK.generate(kty="RSA", size=2048).export_to_pem(True, None).decode(),
        "COMPLIANT_BCP_RFC9700_AUTHZ_RESPONSE_ISS": True,
        "DEVICE_FLOW_INTERVAL": 1,
        "OAUTH_DEVICE_VERIFICATION_URI": url + "/o/device/",
        "OAUTH_DEVICE_VERIFICATION_URI_COMPLETE": lambda code: url + "/o/device/?user_code=" + code,
        "DCR_ENABLED": True,
        "DCR_REGISTRATION_PERMISSION_CLASSES": ("oauth2_provider.dcr.AllowAllDCRPermission",),
        "ACCESS_TOKEN_EXPIRE_SECONDS": lifetime,
        "REFRESH_TOKEN_EXPIRE_SECONDS": 3600,
        "REFRESH_TOKEN_GRACE_PERIOD_SECONDS": grace,
        "ROTATE_REFRESH_TOKEN": True,
        "REFRESH_TOKEN_REUSE_PROTECTION": True,
    },
)
django.setup()

from django.contrib.auth import get_user_model
from django.contrib.auth.views import LoginView
from django.core.management import call_command
from django.core.servers.basehttp import WSGIServer, run
from django.core.wsgi import get_wsgi_application
from django.http import HttpResponse
from django.middleware.csrf import get_token
from django.urls import include, path
from oauth2_provider.decorators import protected_resource
from oauth2_provider.models import get_application_model
from oauth2_provider.signals import app_authorized
from oauth2_provider.urls import metadata_urlpatterns


class Login(LoginView):
    def render_to_response(self, context):
        page = '<form method="post"><input type="hidden" name="csrfmiddlewaretoken" value="%s">%s</form>'
        status = 401 if context["form"].errors else 200
        return HttpResponse(page % (get_token(self.request), context["form"].as_p()), status=status)


urlpatterns = [
    path("o/", include("oauth2_provider.urls", namespace="oauth2_provider")),
    path("login", Login.as_view()),
    path("api", protected_resource()(lambda _: HttpResponse("hello"))),
    path("", include(metadata_urlpatterns)),
]


def seed():
    for name in ("alice", "bob", "carol"):
        get_user_model().objects.create_user(name, password=name + "-password")
    App = get_application_model()
    for name, grant in (("keyrack-test", App.GRANT_PASSWORD), ("keyrack-browser", App.GRANT_AUTHORIZATION_CODE),
                        ("keyrack-device", App.GRANT_DEVICE_CODE)):
        App.objects.create(
            client_id=name, client_type=App.CLIENT_PUBLIC, authorization_grant_type=grant, algorithm=App.RS256_ALGORITHM,
            redirect_uris="http://127.0.0.1/callback/django")  # of any port
    App.objects.create(
        client_id="resource", client_secret="resource-secret", client_type=App.CLIENT_CONFIDENTIAL,
        authorization_grant_type=App.GRANT_CLIENT_CREDENTIALS)


class SecureServer(WSGIServer):
    def __init__(self, *arguments, **more):
        super().__init__(*arguments, **more)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(directory + "/server.pem", directory + "/server.key")
        # The handshake is for the thread that has the connection.
        self.socket = context.wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)
        self.base_environ["HTTPS"] = "on"


# The web server's own log leaves out answers that nobody was there to take.
app_authorized.connect(lambda **_: print("granted", flush=True), weak=False)
call_command("migrate", run_syncdb=True, verbosity=0)
seed()
run("127.0.0.1", port, get_wsgi_application(), threading=True, server_cls=SecureServer if is_secure else WSGIServer)
