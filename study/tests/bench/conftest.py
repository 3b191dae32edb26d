import pytest

from study.bench import built
from tests.common.fixtures import interface  # noqa: F401


@pytest.fixture(scope="session")
def klasses():
    return built.klasses()
