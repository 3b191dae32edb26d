import pytest

from heapwire import interface as interface_module


@pytest.fixture(scope="session")
def interface():
    return interface_module.load()
