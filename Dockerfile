# Two stages: the first installs, the second runs, as an ordinary user.
#
#   GPU:  docker build -t hello-again .
#         docker run --gpus all -it -v hello-again:/data hello-again chat
#   CPU:  docker build --build-arg TORCH_INDEX=ADDRESS -t hello-again .
#
# The image holds the small model only. `docker run -v hello-again:/data hello-again model setup` fetches the voice into the
# volume (/data/models), where it stays.
#
# TORCH_INDEX is the one argument: empty takes PyTorch's standard build, which brings CUDA; for a small CPU image give the
# address of PyTorch's CPU wheels, as its installation page names it.

FROM python:3.11-slim-bookworm AS build
ARG TORCH_INDEX=""
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
RUN apt-get update && apt-get install -y --no-install-recommends gcc g++ make && rm -rf /var/lib/apt/lists/*
RUN python -m venv /opt/venv
ENV PATH=/opt/venv/bin:$PATH
RUN pip install ${TORCH_INDEX:+--index-url "$TORCH_INDEX"} "torch==2.13.0"
WORKDIR /src
COPY pyproject.toml README.md LICENSE Makefile ./
COPY bot bot
COPY adapters adapters
COPY cogs cogs
RUN pip install ".[postgres]" && pip install --no-deps $(sed -n 's/^CARRIERS := //p' Makefile)

FROM python:3.11-slim-bookworm
RUN useradd --create-home --uid 10001 hello && mkdir -m 700 /data && chown hello /data
COPY --from=build /opt/venv /opt/venv
ENV PATH=/opt/venv/bin:$PATH PYTHONUNBUFFERED=1 \
    HELLO_AGAIN__STORAGE__DATA_DIR=/data HELLO_AGAIN__MODEL__CACHE_DIR=/data/models \
    HELLO_AGAIN__BACKUP__FOLDER=/data/backups
USER hello
WORKDIR /home/hello
VOLUME /data
# No HEALTHCHECK: the bot is the container's first process, so the container ends when it does; metrics.listen has
# /healthz and /readyz. SIGINT is what Ctrl-C sends, and `chat` and `run` hear it (`run` hears SIGTERM as well).
STOPSIGNAL SIGINT
ENTRYPOINT ["python", "-m", "bot"]
CMD ["chat"]
