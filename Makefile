# Building, testing and installing Keyrack. "make help" lists the targets.

PREFIX ?= /usr/local
# Not every shell replaces the ~ of "make install PREFIX=~/.local".
override PREFIX := $(patsubst ~/%,$(HOME)/%,$(PREFIX))
DESTDIR ?=
SWIFT ?= swift
# Seconds of "make soak"; its 100 expiries and an idle client take ten minutes more.
SOAK ?= 60
# Seconds of "make fuzz" for each target.
FUZZ ?= 60
# Of the suites, files or names of tests, those that "make test FILTER=..." runs: a regular expression.
FILTER =

BINDIR := $(PREFIX)/bin
LIBEXECDIR := $(PREFIX)/libexec/keyrack
DOCDIR := $(PREFIX)/share/doc/keyrack
MANDIR := $(PREFIX)/share/man
BASHDIR := $(PREFIX)/share/bash-completion/completions
# Debian's zsh looks for those of packages elsewhere.
ZSHDIR := $(PREFIX)/share/zsh/site-functions
FISHDIR := $(PREFIX)/share/fish/vendor_completions.d
# systemd looks for a user's own units in ~/.local/share, for everybody's in /usr/lib and /usr/local/lib.
ifneq ($(and $(HOME),$(filter $(HOME)/%,$(PREFIX)/)),)
UNITDIR := $(HOME)/.local/share/systemd/user
else
UNITDIR := $(PREFIX)/lib/systemd/user
endif

SCRIPTS := .ci/run $(wildcard Tests/*.sh Tests/*/*.sh examples/*.sh Tests/programs/*-mail) Tests/programs/recipe completions/keyrack.bash
RELEASE := .build/release
# From the one place where it stands.
VERSION := $(shell sed -n 's/.*static let version = "\(.*\)".*/\1/p' Sources/KeyrackProtocol/Keyrack.swift)
# Names by which git and docker start keyrack.
HELPERS := git-credential-keyrack docker-credential-keyrack
UNITS := keyrack.socket keyrack.service keyrack-headless-keyring.service keyrack-token-file@.service
PAGES := keyrack.1 git-credential-keyrack.1 docker-credential-keyrack.1 keyrack.conf.5 keyrack-protocol.7 keyrack-recipes.7 \
	keyrackd.8
PACKAGE = .build/keyrack_$(VERSION)_$(shell dpkg --print-architecture 2>/dev/null).deb
PACKAGED := $(wildcard $(RELEASE)/keyrackd $(RELEASE)/keyrack $(RELEASE)/keyrack-keyring debian/* systemd/* man/* examples/* \
	completions/* Makefile LICENSE *.md)
# Without symbols where strip is there.
INSTALL_PROGRAM := install -m 755 $(if $(shell command -v strip),-s)

# Two apt-get at once, or two builds, would wait for each other at best.
.NOTPARALLEL:
.PHONY: all help deps test-deps check-deps deb-deps test-servers build test test-systemd program-deps test-programs soak tsan fuzz demo bench lint install uninstall deb clean swift

all: swift ## Build for release
	$(SWIFT) build -c release --static-swift-stdlib

help: ## List the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1	\2/p' $(MAKEFILE_LIST) | expand -t 14

swift:
	@command -v $(SWIFT) >/dev/null || { echo "swift is not in PATH: install Swift 6.3 or newer (swift.org)" >&2; exit 1; }

deps: ## Install the Debian packages needed to build
	@Tests/install-deps.sh build

test-deps: ## Install the Debian packages needed to build and test
	@Tests/install-deps.sh test

check-deps: ## Install the Debian packages needed for lint, deb and all that .ci/run looks at
	@Tests/install-deps.sh check

deb-deps: ## Install the Debian packages needed to build and package
	@Tests/install-deps.sh deb

test-servers: test-deps ## Install the server that the tests run in Python, into .build
	@Tests/servers/install-venv.sh dot-venv Tests/servers/dot-requirements.txt

build: deps swift ## Build for debugging, tests included
	$(SWIFT) build --build-tests

test: test-servers build ## Run all tests, or those that FILTER names
	Tests/run.sh $(if $(FILTER),'$(FILTER)')

test-systemd: test-deps deb ## Install the package and run its units below a real systemd, as root
	$(if $(filter 0,$(shell id -u)),,$(if $(shell command -v sudo),sudo ))Tests/service.sh

program-deps: ## Install the programs that "make test-programs" runs
	@Tests/install-programs.sh

test-programs: program-deps all ## Have mail programs, kubectl, aws and others work with Keyrack, as keyrack-recipes(7) says
	Tests/programs.sh $(abspath $(RELEASE))

soak: test-servers build ## Look for what grows or gets lost: SOAK (60) seconds, 1,000 rounds, 100 expiries
	KEYRACK_SOAK_SECONDS=$(SOAK) Tests/run.sh SoakTests

tsan: test-deps swift ## Look for data races with ThreadSanitizer, in a build of its own
	SWIFT='$(SWIFT)' Tests/tsan.sh

fuzz: deps swift ## Feed libFuzzer's inputs to all that reads input: FUZZ (60) seconds each, in a build of its own
	SWIFT='$(SWIFT)' FUZZ='$(FUZZ)' Tests/fuzz.sh

demo: test-deps all ## Show a sign-in, tokens and a logout against a provider on this machine
	Tests/demo.sh $(abspath $(RELEASE))

bench: test-deps all ## Measure the daemon
	Tests/Bench/run.sh $(abspath $(RELEASE))

lint: swift ## Check the format of the sources, and the scripts
	$(SWIFT) format lint --strict -r Sources Tests Package.swift
	@command -v shellcheck >/dev/null || { echo 'shellcheck is missing: run "make check-deps"' >&2; exit 1; }
	shellcheck $(SCRIPTS)

install: ## Install to PREFIX (/usr/local), below DESTDIR; run "make" first
	@test -x $(RELEASE)/keyrackd || { echo 'run "make" first' >&2; exit 1; }
	install -d '$(DESTDIR)$(BINDIR)' '$(DESTDIR)$(LIBEXECDIR)' '$(DESTDIR)$(UNITDIR)' '$(DESTDIR)$(DOCDIR)'
	$(INSTALL_PROGRAM) $(RELEASE)/keyrackd $(RELEASE)/keyrack '$(DESTDIR)$(BINDIR)'
	for helper in $(HELPERS); do ln -sf keyrack '$(DESTDIR)$(BINDIR)'/$$helper || exit 1; done
	$(INSTALL_PROGRAM) $(RELEASE)/keyrack-keyring '$(DESTDIR)$(LIBEXECDIR)'
	install -m 644 LICENSE README.md CHANGELOG.md '$(DESTDIR)$(DOCDIR)'
	install -D -m 644 -t '$(DESTDIR)$(DOCDIR)/examples' examples/*
	install -D -m 644 completions/keyrack.bash '$(DESTDIR)$(BASHDIR)/keyrack'
	install -D -m 644 completions/keyrack.zsh '$(DESTDIR)$(ZSHDIR)/_keyrack'
	install -D -m 644 completions/keyrack.fish '$(DESTDIR)$(FISHDIR)/keyrack.fish'
	for unit in $(UNITS); do \
	  sed 's|@BINDIR@|$(BINDIR)|' systemd/$$unit >'$(DESTDIR)$(UNITDIR)'/$$unit && \
	  chmod 644 '$(DESTDIR)$(UNITDIR)'/$$unit || exit 1; \
	done
	for page in $(PAGES); do \
	  folder='$(DESTDIR)$(MANDIR)'/man$${page##*.} && install -d "$$folder" && \
	  sed 's|@VERSION@|$(VERSION)|' man/$$page >"$$folder/$$page" && chmod 644 "$$folder/$$page" || exit 1; \
	done

uninstall: ## Remove what install put there
	rm -f '$(DESTDIR)$(BINDIR)/keyrackd' '$(DESTDIR)$(BINDIR)/keyrack' '$(DESTDIR)$(LIBEXECDIR)/keyrack-keyring'
	rm -f $(foreach helper,$(HELPERS),'$(DESTDIR)$(BINDIR)/$(helper)')
	rm -f $(foreach unit,$(UNITS),'$(DESTDIR)$(UNITDIR)/$(unit)')
	rm -f $(foreach page,$(PAGES),'$(DESTDIR)$(MANDIR)/man$(subst .,,$(suffix $(page)))/$(page)')
	rm -f '$(DESTDIR)$(BASHDIR)/keyrack' '$(DESTDIR)$(ZSHDIR)/_keyrack' '$(DESTDIR)$(FISHDIR)/keyrack.fish'
	rm -f $(foreach text,LICENSE README.md CHANGELOG.md,'$(DESTDIR)$(DOCDIR)/$(text)')
	rm -f $(foreach text,$(notdir $(wildcard examples/*)),'$(DESTDIR)$(DOCDIR)/examples/$(text)')
	-rmdir '$(DESTDIR)$(LIBEXECDIR)' '$(DESTDIR)$(DOCDIR)/examples' '$(DESTDIR)$(DOCDIR)' 2>/dev/null

deb: deb-deps all ## Make a Debian package: .build/keyrack_VERSION_ARCHITECTURE.deb
	@$(MAKE) -s $(PACKAGE)

$(PACKAGE): $(PACKAGED)
	rm -rf .build/deb
	install -d .build/deb
	cp -r debian .build/deb
	printf 'keyrack ($(VERSION)) unstable; urgency=medium\n\n  * %s\n\n -- %s  %s\n' \
	  'What has changed is in CHANGELOG.md.' "$$(sed -n 's/^Maintainer: //p' debian/control)" \
	  "$$(git log -1 --format=%cD 2>/dev/null || date -R)" >.build/deb/debian/changelog
	cd .build/deb && SOURCES='$(CURDIR)' debian/rules binary

clean: ## Remove what was built
	rm -rf .build
