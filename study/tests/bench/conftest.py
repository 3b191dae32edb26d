from tests.common.fixtures import interface  # noqa: F401
