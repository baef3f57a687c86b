# make run    install into .venv and open the window on a sample
# make test   the whole suite on all cores, without a display, in DejaVu; FONTS=inter or FONTS=noto: in another font
# make test-all   the same with whole samples, and products of which make test takes a part
# make bench  the table of measured claims
# make bundle   dist/foldline: a folder that runs without Python
# make docs   build/docs: the help as a site
# make dist   dist: source archive, and the two wheels built from it
# make pictures, make check

PYTHON ?= python3
FONTS ?= dejavu
BIN := .venv/bin
SAMPLE := resources/samples/fix-flaky-upload.jsonl

.PHONY: run test test-all bench bundle docs dist pictures check
.DELETE_ON_ERROR:

run: .venv/installed
	@echo "Opening the window on a sample transcript."
	$(BIN)/foldline $(SAMPLE)

test: .venv/installed-dev
	PYTHONDONTWRITEBYTECODE= QT_QPA_PLATFORM=offscreen FONTS=$(FONTS) $(BIN)/python -m pytest -n auto --maxprocesses 4 --dist worksteal

test-all: export TEST_ALL = 1
test-all: test

bench: .venv/installed-dev
	$(BIN)/python -m tests.benchmarks

bundle: build/bundle/installed
	build/bundle/bin/python -m pip install --disable-pip-version-check --no-deps --force-reinstall .
	build/bundle/bin/pyinstaller --noconfirm --log-level ERROR --distpath dist --workpath build/pyinstaller \
		resources/packaging/foldline.spec
	dist/foldline/foldline --version

docs: .venv/installed-docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

dist: .venv/installed-dev
	rm -rf build/sdist dist/foldline-* dist/foldline_slim-*
	$(BIN)/python -m hatchling build -t sdist -d dist
	mkdir -p build/sdist
	tar -xzf dist/foldline_slim-*.tar.gz -C build/sdist --strip-components 1
	cd build/sdist && ../../$(BIN)/python -m hatchling build -t wheel -d ../../dist
	cd build/sdist/resources/packaging/foldline && ../../../../../$(BIN)/python -m hatchling build -t wheel -d ../../../../../dist

pictures: .venv/installed-dev
	$(BIN)/python -m tests.tools.pictures

check: .venv/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Foldline needs Python 3.11 or newer; name one with: make run PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
		{ echo "Python cannot create environments here; install that part with: apt install python3-venv"; exit 1; }
	@echo "Creating a Python environment in .venv."
	$(PYTHON) -m venv .venv

.venv/installed: $(BIN)/python pyproject.toml constraints.txt
	@echo "Installing Foldline and the packages it needs into .venv. This takes about 3 minutes the first time."
	$(BIN)/python -m pip install --disable-pip-version-check -c constraints.txt -e '.[window,models,tokens]'
	@touch $@

.venv/installed-dev: .venv/installed
	@echo "Installing the packages that tests and checks need. This takes about 2 minutes the first time."
	$(BIN)/python -m pip install --disable-pip-version-check -c constraints.txt -e '.[window,models,tokens,dev]'
	@touch $@

.venv/installed-docs: .venv/installed
	$(BIN)/python -m pip install --disable-pip-version-check -c constraints.txt -e '.[window,models,tokens,docs]'
	@touch $@

build/bundle/installed: pyproject.toml constraints.txt
	@echo "Installing Foldline and PyInstaller into build/bundle. This takes about 3 minutes the first time."
	$(PYTHON) -m venv --clear build/bundle
	build/bundle/bin/python -m pip install --disable-pip-version-check -c constraints.txt '.[window,models,tokens,mcp,bundle]'
	@touch $@
